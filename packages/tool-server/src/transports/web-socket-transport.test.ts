import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { callOf } from '../raw-http.fixture.ts'
import { createWebSocketTransport } from './web-socket-transport.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('reads a client that sends on beyond its budget no faster than the budget allows', async () => {
  const sent: string[] = []
  let charged = 0
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    pause: () => {},
    resume: () => {},
    send: (text: string) => void sent.push(text),
  })
  const transport = createWebSocketTransport(socket as unknown as WebSocket, {
    areCredentialsGood: async () => true,
    charge: async () => {
      charged += 1
      return { allowed: false, remaining: 0, retryAfterMs: 100 }
    },
  })
  await transport.start()
  for (const id of [1, 2, 3]) socket.emit('message', Buffer.from(callOf('get_echo', { text: 'x' }, id)), false)
  await vi.advanceTimersByTimeAsync(99)
  expect([charged, sent.length]).toEqual([1, 1])
  await vi.advanceTimersByTimeAsync(1)
  expect([charged, sent.length]).toEqual([2, 2])
  await vi.advanceTimersByTimeAsync(100)
  expect(sent.map((text) => (JSON.parse(text) as { readonly id: number }).id)).toEqual([1, 2, 3])
})
