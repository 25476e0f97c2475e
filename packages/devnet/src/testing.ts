export { useDevnet } from './use-devnet.ts'
