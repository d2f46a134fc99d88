import { playExample } from "./languages/examples";
import { GO } from "./languages/go";

playExample(GO);
