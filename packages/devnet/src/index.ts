export { anvilPath } from './anvil-path.ts'
export type { Devnet, DevnetOptions, DevnetPool, DevnetToken } from './devnet.ts'
export { startDevnet } from './start-devnet.ts'
export type { Trader, TraderOptions } from './trading.ts'
