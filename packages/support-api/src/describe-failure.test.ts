import { StoreError } from '@svc/store'
import { expect, it } from 'vitest'
import { describeFailure } from './describe-failure.ts'

const tell = (error: unknown) => describeFailure(error, { hasDatabase: true })
const unavailable = (code: string) =>
  new StoreError('STORE_UNAVAILABLE', 'The database does not let us in.', {
    cause: Object.assign(new Error('canary'), { code }),
  })

it.each([
  ['28P01', 'Correct user, password and name'],
  ['3D000', 'Correct user, password and name'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'Name the host in the URL as its certificate does.'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'Name the authority of its certificate'],
  ['ECONNREFUSED', 'Check that it runs'],
])('a database that answers %s: %s', (code, fix) => {
  const text = tell(unavailable(code))
  expect(text).toMatch(/^STORE_UNAVAILABLE \(SVC_DATABASE_URL\): /)
  expect(text).toContain(`Said: ${code}. ${fix}`)
  expect(text).not.toContain('canary')
})

it('a second process on a data directory is told of the database', () => {
  const locked = new StoreError('DATA_DIR_LOCKED', 'Another server runs here.', { cause: unavailable('SQLITE_BUSY') })
  expect(describeFailure(locked, { hasDatabase: false })).toBe(
    'DATA_DIR_LOCKED (SVC_DATA_DIR): Another server runs here. Replicas share a database: see SVC_DATABASE_URL.',
  )
})

it('a directory without rights is told by its setting', () => {
  const error = Object.assign(new Error('EACCES: /canary'), { code: 'EACCES', syscall: 'open' })
  expect(describeFailure(error, { hasDatabase: false })).toMatch(/^STATE_UNUSABLE \(SVC_DATA_DIR\): .*\(EACCES\)/)
})
