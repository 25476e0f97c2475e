import type { ServerResponse } from 'node:http'
import type { Log } from '@svc/runtime'
import { HttpRefusal, sendProblem } from './answers.ts'
import { refuse } from './request-stages.ts'

/** What a request is answered with that was refused, or failed; nothing more where an answer has begun. */
export function answerFailure(response: ServerResponse, error: unknown, log: Pick<Log, 'error'>): void {
  if (response.destroyed) return
  if (error instanceof HttpRefusal && !response.headersSent) return sendProblem(response, error)
  log.error('http.unexpected_error', { error })
  if (response.headersSent) response.destroy()
  else sendProblem(response, refuse('INTERNAL', 'Something went wrong inside the server.'))
}
