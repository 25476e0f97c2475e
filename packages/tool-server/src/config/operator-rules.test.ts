import { describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { ConfigError } from './config-shape.ts'

const on = { SVC_DATA_DIR: '/nowhere', SVC_OPERATOR_PAGE: 'on', PRIVATE_KEY: `0x${'11'.repeat(32)}` }
const problemsOf = (environment: Readonly<Record<string, string>>) => {
  try {
    readConfig({ ...on, ...environment })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ setting, message }) => [setting, message])
  }
}
const publicUrl = { SVC_PUBLIC_URL: 'https://mcp.example.com/mcp' }
const proxy = { SVC_TRUSTED_PROXIES: '10.0.0.1' }

describe('the operator page', () => {
  it('is off unless it is asked for', () => {
    expect(readConfig({ SVC_DATA_DIR: '/nowhere' }).operatorPage).toBe(false)
    expect(problemsOf({ SVC_OPERATOR_PAGE: 'yes' })).toEqual([['SVC_OPERATOR_PAGE', 'Accepted: on, off.']])
  })

  it('is for this machine without a public address, and for operators from afar behind https', () => {
    expect(readConfig(on).operatorPage).toBe(true)
    expect(problemsOf({ SVC_LISTEN: '[::1]:3000' })).toEqual([])
    expect(problemsOf({ ...publicUrl, ...proxy, SVC_LISTEN: '0.0.0.0:3000' })).toEqual([])
    expect(problemsOf({ ...publicUrl, SVC_TLS_CERT: 'a', SVC_TLS_KEY: 'b' })).toEqual([])
  })

  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'beyond this machine without a public address',
      { ...proxy, SVC_LISTEN: '0.0.0.0:3000' },
      'needs a public address over https',
    ],
    ['behind a proxy without one', proxy, 'needs a public address over https'],
    ['where TLS ends somewhere unknown', publicUrl, 'does not know ends TLS'],
    [
      'at an address, which no passkey is made for',
      { ...proxy, SVC_PUBLIC_URL: 'https://203.0.113.7/mcp' },
      'made for a name',
    ],
    ['where nothing is signed', { SVC_MCP_PROFILE: 'data' }, 'only reads'],
  ])('is refused %s', (_where, environment, message) => {
    expect(problemsOf(environment)).toEqual([['SVC_OPERATOR_PAGE', expect.stringContaining(message)]])
  })
})
