export { anvilPath } from './anvil-path.ts'
export { type Devnet, type DevnetOptions, type DevnetPool, type DevnetToken, startDevnet } from './start-devnet.ts'
