// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// An ERC-8004 identity registry with the surface of the deployed 2.0.0: the same selectors, the same events in the same
/// order, the same refusals. Who registers owns the agent; ids count from 0. It stands without a proxy and has no owner.
contract IdentityRegistry is ERC721URIStorage, EIP712 {
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);
    event MetadataSet(
        uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue
    );

    /// Holds the agent's wallet as 20 bytes. Written by registration, by a wallet's consent and by a transfer alone.
    string private constant WALLET_KEY = "agentWallet";
    uint256 private constant LONGEST_CONSENT = 5 minutes;
    bytes32 private constant CONSENT_TYPEHASH =
        keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)");

    uint256 private nextAgentId;
    mapping(uint256 agentId => mapping(string key => bytes value)) private metadataOf;

    constructor() ERC721("AgentIdentity", "AGENT") EIP712("ERC8004IdentityRegistry", "1") {}

    modifier onlyAuthorized(uint256 agentId) {
        require(isAuthorizedOrOwner(msg.sender, agentId), "Not authorized");
        _;
    }

    function register() external returns (uint256 agentId) {
        agentId = _mintToSender();
        _announce(agentId, "");
    }

    function register(string calldata agentURI) external returns (uint256 agentId) {
        agentId = _mintToSender();
        _setTokenURI(agentId, agentURI);
        _announce(agentId, agentURI);
    }

    function register(string calldata agentURI, MetadataEntry[] calldata metadata) external returns (uint256 agentId) {
        agentId = _mintToSender();
        _setTokenURI(agentId, agentURI);
        _announce(agentId, agentURI);
        for (uint256 i = 0; i < metadata.length; i++) {
            _requireFree(metadata[i].metadataKey);
            _write(agentId, metadata[i].metadataKey, metadata[i].metadataValue);
        }
    }

    function setAgentURI(uint256 agentId, string calldata newURI) external onlyAuthorized(agentId) {
        _setTokenURI(agentId, newURI);
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    function getMetadata(uint256 agentId, string calldata metadataKey) external view returns (bytes memory) {
        return metadataOf[agentId][metadataKey];
    }

    function setMetadata(uint256 agentId, string calldata metadataKey, bytes calldata metadataValue)
        external
        onlyAuthorized(agentId)
    {
        _requireFree(metadataKey);
        _write(agentId, metadataKey, metadataValue);
    }

    /// The zero address when the wallet was taken away or the agent has changed hands.
    function getAgentWallet(uint256 agentId) external view returns (address) {
        return address(bytes20(metadataOf[agentId][WALLET_KEY]));
    }

    /// `signature` is the new wallet's consent: a key's own, else what the wallet's code accepts by ERC-1271.
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature)
        external
        onlyAuthorized(agentId)
    {
        require(newWallet != address(0), "bad wallet");
        require(block.timestamp <= deadline, "expired");
        require(deadline <= block.timestamp + LONGEST_CONSENT, "deadline too far");
        bytes32 digest =
            _hashTypedDataV4(keccak256(abi.encode(CONSENT_TYPEHASH, agentId, newWallet, ownerOf(agentId), deadline)));
        require(_consents(newWallet, digest, signature), "invalid wallet sig");
        _write(agentId, WALLET_KEY, abi.encodePacked(newWallet));
    }

    function unsetAgentWallet(uint256 agentId) external onlyAuthorized(agentId) {
        _write(agentId, WALLET_KEY, "");
    }

    /// Reverts for an agent that does not exist.
    function isAuthorizedOrOwner(address spender, uint256 agentId) public view returns (bool) {
        return _isAuthorized(ownerOf(agentId), spender, agentId);
    }

    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    /// A wallet that consented to one owner has not consented to the next.
    function _update(address to, uint256 agentId, address auth) internal override returns (address from) {
        from = super._update(to, agentId, auth);
        if (from != address(0)) _write(agentId, WALLET_KEY, "");
    }

    /// A contract that lacks `onERC721Received` cannot register, and neither can an account delegated to such code.
    function _mintToSender() private returns (uint256 agentId) {
        agentId = nextAgentId++;
        _safeMint(msg.sender, agentId);
    }

    function _announce(uint256 agentId, string memory agentURI) private {
        emit Registered(agentId, agentURI, msg.sender);
        _write(agentId, WALLET_KEY, abi.encodePacked(msg.sender));
    }

    function _requireFree(string calldata key) private pure {
        require(keccak256(bytes(key)) != keccak256(bytes(WALLET_KEY)), "reserved key");
    }

    function _write(uint256 agentId, string memory key, bytes memory value) private {
        metadataOf[agentId][key] = value;
        emit MetadataSet(agentId, key, key, value);
    }

    function _consents(address wallet, bytes32 digest, bytes calldata signature) private view returns (bool) {
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, signature);
        if (problem == ECDSA.RecoverError.NoError && signer == wallet) return true;
        (bool answered, bytes memory answer) =
            wallet.staticcall(abi.encodeCall(IERC1271.isValidSignature, (digest, signature)));
        return answered && answer.length == 32 && bytes32(answer) == bytes32(IERC1271.isValidSignature.selector);
    }
}
