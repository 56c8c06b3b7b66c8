export { formatDay, formatDayOld } from "./dates";
export { footer } from "./footer";
export { header } from "./header";
