import { exportArticles } from "./export";

const { rows } = exportArticles([{ id: "a1", title: "Lamp" }], { a1: 1990 });
console.log(rows.join("\n"));
