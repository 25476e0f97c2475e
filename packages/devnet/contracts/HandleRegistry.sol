// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// A registry of the kind that predates ERC-8004: one agent per handle, and the way to reach it as a number. No official
/// deployment has this shape; private ones do. Ids count from 0.
contract HandleRegistry {
    event AgentRegistered(
        uint256 indexed agentId, address indexed owner, string handle, string metadataURI, uint8 interfaceType
    );

    struct Agent {
        address owner;
        uint8 interfaceType;
        string handle;
        string metadataURI;
    }

    uint8 private constant NONE = 0;
    uint8 private constant MCP = 1;
    uint8 private constant A2A = 2;

    Agent[] private agents;
    /// One more than the id, so that 0 is nobody.
    mapping(string handle => uint256 position) private positionOf;

    /// `interfaceType`: 0 none, 1 mcp, 2 a2a.
    function register(string calldata handle, string calldata metadataURI, uint8 interfaceType)
        external
        returns (uint256 agentId)
    {
        require(bytes(handle).length > 0, "empty handle");
        require(positionOf[handle] == 0, "handle taken");
        require(interfaceType == NONE || interfaceType == MCP || interfaceType == A2A, "unknown interface type");
        agentId = agents.length;
        agents.push(Agent(msg.sender, interfaceType, handle, metadataURI));
        positionOf[handle] = agentId + 1;
        emit AgentRegistered(agentId, msg.sender, handle, metadataURI, interfaceType);
    }

    function agentIdOf(string calldata handle) external view returns (uint256) {
        require(positionOf[handle] > 0, "unknown handle");
        return positionOf[handle] - 1;
    }

    function ownerOf(uint256 agentId) external view returns (address) {
        return _agent(agentId).owner;
    }

    function tokenURI(uint256 agentId) external view returns (string memory) {
        return _agent(agentId).metadataURI;
    }

    function handleOf(uint256 agentId) external view returns (string memory) {
        return _agent(agentId).handle;
    }

    function interfaceTypeOf(uint256 agentId) external view returns (uint8) {
        return _agent(agentId).interfaceType;
    }

    function _agent(uint256 agentId) private view returns (Agent storage) {
        require(agentId < agents.length, "unknown agent");
        return agents[agentId];
    }
}
