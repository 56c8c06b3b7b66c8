export const SHOPS = [
  { name: "north", percent: 15 },
  { name: "south" },
  { name: "outlet", percent: 0 },
];
