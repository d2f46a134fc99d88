import { playExample } from "./languages/examples";
import { PYTHON } from "./languages/python";
import { playStories } from "./languages/stories";

playStories(PYTHON);
playExample(PYTHON);
