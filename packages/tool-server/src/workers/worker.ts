import { constants, getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { runWork, type WorkTask } from './run-work.ts'

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
    if (getPriority() < constants.priority.PRIORITY_BELOW_NORMAL) setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // A sandbox may refuse it; the work is the same.
  }
}
