import type { IpfsMode } from './registration.ts'
import type { RegistrationContext } from './registration-context.ts'

/** The identity SDK (`agent0-sdk`), or `null` where it is not installed or cannot be loaded, which is a warning. */
export async function loadIdentitySdk(context: SdkContext, mode: IpfsMode): Promise<IdentitySdk | null> {
  const { options, attempts, warnings } = context
  const skip = (reason: string) => {
    const tier = mode === 'inline' ? 'sdk-inline' : 'sdk-ipfs'
    attempts.push({ kind: 'registration', tier, outcome: 'skipped', reason })
    return null
  }
  try {
    const module = await (options.loadIdentitySdk ?? importInstalled)()
    if (isIdentitySdk(module)) return module
    warnings.push('The identity SDK that is installed has no class SDK; the registry was called directly.')
    return skip('The identity SDK has another shape.')
  } catch (error) {
    if (isMissing(error)) return skip('The identity SDK is not installed.')
    const reason = `The identity SDK is installed and cannot be loaded: ${firstLine(error)}`
    warnings.push(`${reason} The registry was called directly.`)
    attempts.push({ kind: 'registration', tier: 'sdk-ipfs', outcome: 'failed', code: 'IDENTITY_SDK_FAILED', reason })
    return null
  }
}

/** What of the context bears on the SDK. */
type SdkContext = Pick<RegistrationContext, 'attempts' | 'warnings'> & {
  readonly options: Pick<RegistrationContext['options'], 'loadIdentitySdk'>
}

/** What of `agent0-sdk` 1.5 and later is used. */
export type IdentitySdk = { readonly SDK: new (config: object) => unknown }

const packageName = 'agent0-sdk'

/** The name in a constant, so that neither compilers nor bundlers want the package. */
function importInstalled(): Promise<unknown> {
  return import(packageName)
}

/** A package that the SDK itself lacks is another thing, though its message names the SDK as well. */
function isMissing(error: unknown): boolean {
  const isNotFound = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return isNotFound && /Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1] === packageName
}

/** What this machine's own loader says, as a sentence. */
function firstLine(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n')
  return `${line.slice(0, 300).replace(/\.$/, '')}.`
}

function isIdentitySdk(value: unknown): value is IdentitySdk {
  return typeof value === 'object' && value !== null && 'SDK' in value && typeof value.SDK === 'function'
}
