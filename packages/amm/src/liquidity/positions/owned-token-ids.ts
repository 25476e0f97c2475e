/** Token ids of an owner, and whether they are all of them. */
export type OwnedTokenIds = { readonly ids: readonly bigint[]; readonly complete: boolean }
