import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { runWork, type WorkTask } from './run-work.ts'

// A third of the share of a thread at 0: at 10 it would be a tenth, and on a machine busy with other programs work would hardly go on.
const behindCalls = 5

giveWay()

// The program of a thread: one task after the other.
parentPort?.on('message', (task: WorkTask) => {
  void runWork(task, (message) => parentPort?.postMessage(message))
})

/**
 * Puts the calling thread behind the one that answers calls, where a system has priorities of threads: only Linux has; elsewhere this would
 * be that of the whole process. One that comes after others already stays there, and one that the system holds stays where it is.
 */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    if (getPriority() < behindCalls) setPriority(behindCalls)
  } catch {
    // A sandbox may refuse it; the work is the same.
  }
}
