import { GO } from "./languages/go";
import { playStories } from "./languages/stories";

playStories(GO);
