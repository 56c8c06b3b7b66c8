import assert from "node:assert/strict";
import { test } from "node:test";

import { mean } from "./statistics.js";

test("the mean of two values lies between them", () => assert.equal(mean([2, 4]), 3));
