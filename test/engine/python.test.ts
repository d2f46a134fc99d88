import { PYTHON } from "./languages/python";
import { playStories } from "./languages/stories";

playStories(PYTHON);
