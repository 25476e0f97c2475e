import type { Journal } from '@svc/wallet/core'

export declare function createCommitClock(journal: Journal, from: `0x${string}`): () => Promise<number>
