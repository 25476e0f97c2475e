import type { PinService } from './pin-card.ts'
import { postForCid } from './post-for-cid.ts'

/** The pin proxy of the support API, which makes the registration file of the card itself. */
export function pinProxy(apiUrl: string, appId: string): PinService {
  return ({ card, fetch, signal }) =>
    postForCid(fetch, `${apiUrl.replace(/\/+$/, '')}/v1/ipfs/pin`, {
      headers: { authorization: `Bearer ${appId}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agentCard: card }),
      signal,
      cidIn: (answer) => answer['cid'],
    })
}
