import { createPrivateKey, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { authorizationKeyFrom, countSigners } from './check-request.ts'

it('makes keys out of seeds that sign for their public halves, those whose secret begins with zeros too', () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const { privateKey, publicKey } = authorizationKeyFrom(`${seed}`)
    const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })
    const signature = sign('sha256', Buffer.from('asked'), key).toString('base64')
    expect([seed, countSigners([publicKey], 'asked', [signature])]).toEqual([seed, 1])
  }
})
