/**
 * Measures one durable commit that changes a row: each records a signature of its own request, since a step is signed at one
 * nonce only. Chain 1 is none that the benchmark writes to. Gives milliseconds, on this disk and under this load.
 */
export function createCommitClock(journal, from) {
  let commits = 0
  return async () => {
    commits += 1
    const hash = `0x${commits.toString(16).padStart(64, '0')}`
    const slot = { requestId: `commit-${commits}`, step: 0, chainId: 1, from, nonce: commits, attempt: 0 }
    const begin = performance.now()
    await journal.recordSigned({ ...slot, rawTransaction: '0x', hash, reservationId: null })
    return performance.now() - begin
  }
}
