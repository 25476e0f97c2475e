import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Config } from '../config.ts'
import { ConfigError } from './config-error.ts'

/** Certificate and key as the server wants them. Throws a `ConfigError` for files that cannot be read or do not fit. */
export function readTls({ certPath, keyPath }: NonNullable<Config['tls']>): { cert: Buffer; key: Buffer } {
  const files = { cert: readPem('SVC_TLS_CERT', certPath), key: readPem('SVC_TLS_KEY', keyPath) }
  try {
    createSecureContext(files)
  } catch {
    throw refused('SVC_TLS_CERT', 'This and SVC_TLS_KEY are not a certificate in PEM and its key.')
  }
  return files
}

function readPem(setting: 'SVC_TLS_CERT' | 'SVC_TLS_KEY', path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw refused(setting, `The file cannot be read (${code}).`)
  }
}

function refused(setting: string, message: string): ConfigError {
  return new ConfigError([{ code: 'TLS_FILE_INVALID', setting, message, fix: 'Correct the paths or the files.' }])
}
