import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { getHeapCodeStatistics } from 'node:v8'

/**
 * The child's half of child-server.mjs: says where it listens, tells what it used when asked, ends with its parent. Asked for the heap
 * it collects garbage first and counts compiled code, where Node was started with `--expose-gc`.
 */
export function answerCpu(port, key = null) {
  const answer = async (asked) => {
    // First of all: to look at memory takes longer than many a call.
    const used = process.cpuUsage()
    if (asked === 'heap') await collectGarbage()
    const { rss: rssBytes, heapUsed: heapUsedBytes } = process.memoryUsage()
    process.send({ ...used, rssBytes, heapUsedBytes, ...(asked === 'heap' && codeOnHeap()) })
  }
  process.on('message', (asked) => void answer(asked))
  process.on('disconnect', () => process.exit())
  process.send({ port, key })
}

function codeOnHeap() {
  return { codeBytes: getHeapCodeStatistics().code_and_metadata_size }
}

/** What a collection frees at last, a finalizer has to let go of first, in a turn of its own: listeners on the signals of requests. */
async function collectGarbage() {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc()
    for (let turn = 0; turn < 5; turn += 1) await turnOfTheLoop()
  }
  globalThis.gc()
}
