import { playExample } from "./languages/examples";
import { PYTHON } from "./languages/python";

playExample(PYTHON);
