export { readState, type StateSnapshot, createRowsDigest, type StateRow } from './backup/read-state.ts'
export type { Restored, RestoredCopy } from './backup/restored-copy.ts'
export { type CopiedTable, type StateCopy, writeState } from './backup/write-state.ts'
