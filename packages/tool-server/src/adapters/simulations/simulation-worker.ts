import { parentPort } from 'node:worker_threads'
import { runSimulationTask } from './run-simulation-task.ts'
import type { SimulationTask } from './simulation-task.ts'

// The program of a thread: one task after the other.
parentPort?.on('message', (task: SimulationTask) => {
  runSimulationTask(task, (message) => parentPort?.postMessage(message))
})
