import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { getHeapCodeStatistics } from 'node:v8'

/**
 * The child's half of child-server.mjs: says where it listens, tells what it used when asked, ends with its parent. Asked for the heap
 * it collects garbage first, where Node was started with `--expose-gc`.
 */
export function answerCpu(port, key = null) {
  const answer = async (asked) => {
    if (asked === 'heap') await collectGarbage()
    const { rss: rssBytes, heapUsed: heapUsedBytes } = process.memoryUsage()
    const { code_and_metadata_size: codeBytes } = getHeapCodeStatistics()
    process.send({ ...process.cpuUsage(), rssBytes, heapUsedBytes, codeBytes })
  }
  process.on('message', (asked) => void answer(asked))
  process.on('disconnect', () => process.exit())
  process.send({ port, key })
}

/** What a collection frees at last, a finalizer has to let go of first, in a turn of its own: listeners on the signals of requests. */
async function collectGarbage() {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc()
    for (let turn = 0; turn < 5; turn += 1) await turnOfTheLoop()
  }
  globalThis.gc()
}
