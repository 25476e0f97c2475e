import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Writes a web `Response` out. A client that leaves cancels the response's stream; that is no failure. */
export async function writeWebResponse(response: ServerResponse, answer: Response): Promise<void> {
  const headers = Object.fromEntries(answer.headers)
  response.writeHead(answer.status, headers)
  if (answer.body === null) {
    response.end()
    return
  }
  if (headers['content-type']?.startsWith('text/event-stream') === true) response.flushHeaders()
  try {
    await pipeline(Readable.fromWeb(answer.body), response)
  } catch (error) {
    if (!response.destroyed) throw error
  }
}
