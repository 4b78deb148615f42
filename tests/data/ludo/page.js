export { draw, laid, turn } from "../race/page.js";
