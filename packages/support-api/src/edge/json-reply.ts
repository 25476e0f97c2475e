import { reply, type Reply, type ReplyOptions } from './reply.ts'

/** The value as JSON. */
export function jsonReply(value: unknown, options?: ReplyOptions): Reply {
  return reply(JSON.stringify(value), 'application/json', options)
}
