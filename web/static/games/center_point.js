// Center Point: a race board like the other one.

export { draw, turn } from "./race.js";
