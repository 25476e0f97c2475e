import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Operations } from '@svc/store'
import { answerRequest, type PageState } from './answer-request.ts'
import { randomBytes } from 'node:crypto'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { operatorName } from '../../own-data-directory.ts'
import { parseFlags, parseWholeNumber } from '../../parse-words-and-flags.ts'
import { openOperations } from '../open-operations.ts'

/**
 * Serves the approval page on loopback. Its address holds a token that opens it once, for the first browser that comes with
 * it; that browser gets a cookie and no other does. Rejects when the port cannot be had.
 */
export async function servePage(options: PageOptions): Promise<ServedPage> {
  const reading = { headersTimeout: 10_000, requestTimeout: 10_000, joinDuplicateHeaders: true }
  const server = createServer(reading, (request, response) => {
    answerRequest(request, response, state).catch(() => end(response))
  })
  server.maxConnections = 64
  const port = await listen(server, options.port)
  const state: PageState = {
    ...options,
    host: `127.0.0.1:${port}`,
    token: { value: options.newToken() },
    cookie: options.newToken(),
  }
  return {
    url: `http://${state.host}/?token=${state.token.value}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type PageOptions = {
  readonly operations: Operations
  /** 0 is any free one. */
  readonly port: number
  /** Who decides, as it is written down. */
  readonly by: string
  /** Unix milliseconds. */
  readonly now: () => number
  /** An unguessable text of URL-safe characters. */
  readonly newToken: () => string
}

export type ServedPage = { readonly url: string; close(): Promise<void> }

function end(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(500, { 'content-type': 'text/plain' }).end('Something went wrong; see the terminal.\n')
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`--port ${port} cannot be had: ${error.message}`)))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('The page has no TCP address.'))
      else resolve(address.port)
    })
  })
}

/** `svc approvals page`: the same as the other commands in a browser of this machine, until Ctrl-C. */
export async function page(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'port'] })
  const port = parseWholeNumber('--port', flags.port, 0, 65_535) ?? 0
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const served = await servePage({
      operations: open.operations,
      port,
      by: operatorName(),
      now: Date.now,
      newToken: () => randomBytes(32).toString('base64url'),
    })
    process.stdout.write(`Open this once, in a browser of this machine; Ctrl-C ends it.\n\n  ${served.url}\n`)
    await stopped
    await served.close()
    return 0
  } finally {
    await open.close()
  }
}
