import { describe, expect, it } from 'vitest'
import { observedRequest } from './create-rpc-pool.ts'
import { EndpointError } from './post-json-rpc.ts'

const place = { chainId: 1, place: 0, isPrivate: false }

describe('observedRequest', () => {
  it('tells of each call once, whatever becomes of the telling', async () => {
    const outcomes: string[] = []
    const heard = ({ outcome }: { readonly outcome: string }) => {
      outcomes.push(outcome)
      throw new Error('cannot count')
    }
    const answers = observedRequest(async () => '0x1', place, heard)
    await answers({ method: 'eth_chainId' }).catch(() => {})
    expect(outcomes).toEqual(['answered'])
  })

  it('tells why there was no answer, and leaves the failure as it was', async () => {
    const outcomes: string[] = []
    const failure = new EndpointError('timeout', 'took too long')
    const fails = observedRequest(
      async () => {
        throw failure
      },
      place,
      ({ outcome }) => void outcomes.push(outcome),
    )
    await expect(fails({ method: 'eth_chainId' })).rejects.toBe(failure)
    expect(outcomes).toEqual(['timeout'])
  })
})
