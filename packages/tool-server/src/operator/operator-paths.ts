import type { IncomingMessage } from 'node:http'

/** Whether a request is for the operator page, where there is one. */
export function isOperatorRoute({ url }: Pick<IncomingMessage, 'url'>): boolean {
  return /^\/operator(?:[/?]|$)/.test(url ?? '')
}

/** Where parts of it stand, and what its scripts ask for. */
export const operatorPaths: readonly string[] = [
  '',
  '/page.css',
  '/page.js',
  '/passkey.js',
  '/sign-in.js',
  '/open',
  '/state',
  '/chains',
  '/challenge',
  '/sign-in',
  '/ask',
  '/decide',
  '/sign-out',
].map((path) => `/operator${path}`)

/** The header fields of the page of this machine: the token of its link, and of the session that it was exchanged for. */
export const linkField = 'svc-operator-link'
export const sessionField = 'svc-operator-session'
