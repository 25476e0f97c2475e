import type { IdentitiesOptions } from './create-identities.ts'

/** An operator without services of its own. */
export const noServices: IdentitiesOptions['upstream'] = {
  appId: null,
  apiUrl: null,
  gatewayUrl: null,
  ipfsMode: 'proxy',
  pinningJwt: null,
  agentName: null,
}
