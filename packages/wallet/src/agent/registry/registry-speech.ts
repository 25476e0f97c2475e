import type { RegistryForm } from '../lookup/identity-registries.ts'
import { erc8004V1 } from './erc8004-v1.ts'
import { handleV0 } from './handle-v0.ts'
import type { RegistrySpeech } from './registry-form.ts'

/** How registries of a form are spoken to. */
export function registrySpeech(form: RegistryForm): RegistrySpeech {
  return form === 'erc8004-v1' ? erc8004V1 : handleV0
}
