// Center Point: a race board like the other one.

export { draw, laid, turn } from "../race/page.js";
