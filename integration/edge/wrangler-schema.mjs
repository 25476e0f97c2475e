import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'

/** What is wrong with a configuration by the schema that it names, which the release of wrangler in its address brings; `null` for nothing. */
export async function schemaFault(configuration, folder) {
  const [, release] =
    /^https:\/\/unpkg\.com\/(wrangler@\d+\.\d+\.\d+)\/config-schema\.json$/.exec(configuration.$schema) ?? []
  if (release === undefined) return 'it names no schema of a release of wrangler'
  const packed = execFileSync('npm', ['pack', release, '--silent'], { cwd: folder, encoding: 'utf8' }).trim()
  execFileSync('tar', ['-xzf', packed, 'package/config-schema.json'], { cwd: folder })
  const schema = JSON.parse(await readFile(join(folder, 'package/config-schema.json'), 'utf8'))
  const { valid, errorMessage } = new CfWorkerJsonSchemaValidator({ draft: '7' }).getValidator(schema)(configuration)
  return valid ? null : errorMessage
}
