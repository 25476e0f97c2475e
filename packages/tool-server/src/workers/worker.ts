import { parentPort } from 'node:worker_threads'
import { giveWay } from './give-way.ts'
import { runWork } from './run-work.ts'
import type { WorkTask } from './work-messages.ts'

giveWay()

// The program of a thread: one task after the other.
parentPort?.on('message', (task: WorkTask) => {
  void runWork(task, (message) => parentPort?.postMessage(message))
})
