import { StoreError } from '@svc/store'
import { ConfigError } from './config/schema.ts'

/**
 * Why the process could not start, for the person who started it: a code, the setting at fault, and its fix. Of what
 * systems and clients say only their codes are reported, because their words may quote an address or a key.
 */
export function describeFailure(error: unknown, { hasDatabase }: { readonly hasDatabase: boolean }): string {
  if (error instanceof ConfigError) return error.message
  if (error instanceof StoreError) return describeStore(error, hasDatabase)
  const code = codeOf(error)
  if (code === null) return error instanceof Error ? error.message : String(error)
  if (error instanceof Error && 'syscall' in error && /^(listen|bind|getaddrinfo)$/.test(String(error.syscall))) {
    return `LISTEN_FAILED (SVC_LISTEN): ${listening[code] ?? 'The address cannot be listened at'} (${code}). Choose another one, or free it.`
  }
  const [setting, what] = hasDatabase ? ['SVC_DATABASE_URL', 'database'] : ['SVC_DATA_DIR', 'directory']
  return `STATE_UNUSABLE (${setting}): The ${what} cannot be used (${code}). Correct ${setting}, or the rights of this user.`
}

const listening: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program listens there',
  EACCES: 'This user may not listen there',
  EADDRNOTAVAIL: 'The machine does not have this address',
  ENOTFOUND: 'The name is of no address',
}

function describeStore(error: StoreError, hasDatabase: boolean): string {
  const setting = hasDatabase ? 'SVC_DATABASE_URL' : 'SVC_DATA_DIR'
  const code = codeOf(error.cause)
  const cause = code === null || error.code === 'DATA_DIR_LOCKED' ? '' : ` Said: ${code}.`
  return `${error.code} (${setting}): ${error.message}${cause} ${fixOf(error.code, code, setting)}`
}

function fixOf(storeCode: StoreError['code'], code: string | null, setting: string): string {
  if (storeCode === 'DATA_DIR_LOCKED') return 'Replicas share a database: see SVC_DATABASE_URL.'
  if (storeCode === 'STORE_SCHEMA_UNKNOWN') return 'Start the version that wrote it, or a newer one.'
  if (storeCode !== 'STORE_UNAVAILABLE') return `Correct ${setting}.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Name the host in the URL as its certificate does.'
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code ?? '')) {
    return 'Name the authority of its certificate, by sslrootcert in the URL or NODE_EXTRA_CA_CERTS.'
  }
  if (/^(28|3D)/.test(code ?? '')) return 'Correct user, password and name of the database; encode : / @ % in a URL.'
  return 'Check that it runs, and host and port in the URL.'
}

/** Such as ECONNREFUSED, or 28P01 of PostgreSQL. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string' && /^\w{3,48}$/.test(error.code)) return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : codeOf(error.cause)
}
