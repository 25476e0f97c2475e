export { readState, type StateSnapshot } from './backup/read-state.ts'
export { createRowsDigest, type StateRow } from './backup/state-tables.ts'
export type { Restored, RestoredCopy } from './backup/restored-copy.ts'
export { type CopiedTable, type StateCopy, writeState } from './backup/write-state.ts'
