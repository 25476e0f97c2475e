import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@svc/engine'

/** One authenticated HTTP exchange on its way. */
export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly principal: Principal
}
