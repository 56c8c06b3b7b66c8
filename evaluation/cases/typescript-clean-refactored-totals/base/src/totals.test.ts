import { accounts, total } from "./totals";

const ENTRIES = [
  { account: "bank", cents: 500, isVoid: false },
  { account: "cash", cents: 900, isVoid: true },
  { account: "bank", cents: -200, isVoid: false },
];

test("void entries do not count", () => expect(total(ENTRIES)).toBe(300));
test("each account is named once", () => expect(accounts(ENTRIES)).toEqual(["bank", "cash"]));
