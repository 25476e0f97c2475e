import type { Journal } from '@svc/wallet/core'

export declare function createCommitClock(journal: Journal, from: `0x${string}`): () => Promise<number>

export type DurableCommit = {
  readonly on: 'SQLite' | 'PostgreSQL' | 'file'
  /** False where it reaches the disk with the next one that waits. */
  readonly waits: boolean
  /** The tables it changes, the events of its lines, or which files. */
  readonly what: string
}

export declare function countDurableCommits(): Promise<{
  /** Those since the last time. */
  readonly take: () => readonly DurableCommit[]
  /** What SQLite was asked since the last time, reads too. */
  readonly takeStatements: () => readonly string[]
  readonly stop: () => void
}>
