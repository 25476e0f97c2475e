// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// What an account of a key delegates to (EIP-7702) so that several of its calls are one transaction, of which all happen or none.
/// The account alone may ask for them, in a transaction to itself; whoever is called cannot come back in. It keeps nothing in
/// storage, has no owner and cannot be changed. An account that runs code still receives what it could before, and what its key
/// signs still holds.
contract BatchDelegate is ERC721Holder, ERC1155Holder, IERC1271 {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    /// After each call, so that the logs of a transaction say which of them made which.
    event CallMade(uint256 indexed index);

    error NotTheAccount();
    /// A call of the account to itself would be a batch inside a batch.
    error CallToItself(uint256 index);
    error CallFailed(uint256 index, bytes reason);

    function execute(Call[] calldata calls) external payable {
        if (msg.sender != address(this)) revert NotTheAccount();
        for (uint256 i = 0; i < calls.length; i++) {
            if (calls[i].to == address(this)) revert CallToItself(i);
            (bool ok, bytes memory reason) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!ok) revert CallFailed(i, reason);
            emit CallMade(i);
        }
    }

    receive() external payable {}

    /// Contracts ask accounts with code instead of recovering the key themselves; here that comes to the same.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(hash, signature);
        bool isOwn = problem == ECDSA.RecoverError.NoError && signer == address(this);
        return isOwn ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
