export { startSubgraph } from './subgraph/start-subgraph.ts'
export type { Subgraph, SubgraphFault, SubgraphOptions } from './subgraph/start-subgraph.ts'
