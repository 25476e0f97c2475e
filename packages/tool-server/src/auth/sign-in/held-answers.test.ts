import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { localPrincipal } from '../../transports/stdio.ts'
import { createHeldAnswers } from './held-answers.ts'

it('ends streams with the time of their credentials, calls only with their revocation, and forgets what has ended', () => {
  let now = 0
  const revoked = new Set<string>()
  const destroyed: string[] = []
  const held = createHeldAnswers({ isRevoked: ({ id }) => revoked.has(id), now: () => now })
  const open = (id: string, kind: 'answer' | 'stream', expiresAt: number | null = 1_000) => {
    const response = new EventEmitter()
    const destroy = () => {
      destroyed.push(`${id} ${kind}`)
      response.emit('close')
    }
    Object.assign(response, { destroy })
    held.hold({ ...localPrincipal, id, expiresAt }, response as unknown as ServerResponse, kind)
    return response
  }
  open('ann', 'stream')
  open('ann', 'answer')
  open('bob', 'stream', null)
  const gone = open('cid', 'stream')
  gone.emit('close')
  now = 999
  held.breakOff()
  expect(destroyed).toEqual([])
  now = 1_000
  held.breakOff()
  held.breakOff()
  expect(destroyed).toEqual(['ann stream'])
  revoked.add('ann').add('bob').add('cid')
  held.breakOff()
  held.breakOff()
  expect(destroyed).toEqual(['ann stream', 'ann answer', 'bob stream'])
})
