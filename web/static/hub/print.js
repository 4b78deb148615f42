document.querySelector("#bar button").addEventListener("click", () => print());
