// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {BasePaymaster} from "@account-abstraction/contracts/core/BasePaymaster.sol";
import {Eip7702Support} from "@account-abstraction/contracts/core/Eip7702Support.sol";
import {_packValidationData} from "@account-abstraction/contracts/core/Helpers.sol";
import {IEntryPoint} from "@account-abstraction/contracts/interfaces/IEntryPoint.sol";
import {PackedUserOperation} from "@account-abstraction/contracts/interfaces/PackedUserOperation.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

/// Pays for user operations (ERC-4337, EntryPoint 0.8) that its signer has signed for, within the time it signed for.
/// paymasterData = validUntil (6 bytes) | validAfter (6 bytes) | signature (65 bytes).
contract VerifyingPaymaster is BasePaymaster {
    address public immutable signer;

    constructor(IEntryPoint entryPoint, address signer_) BasePaymaster(entryPoint) {
        signer = signer_;
    }

    /// What the signer signs, as an EIP-191 message: all of the operation but the two signatures. Of an EIP-7702 init code
    /// it is the delegate that counts, for bundlers differ in how they write its marker.
    function getHash(PackedUserOperation calldata userOp, uint48 validUntil, uint48 validAfter)
        public
        view
        returns (bytes32)
    {
        bytes32 delegated = Eip7702Support._getEip7702InitCodeHashOverride(userOp);
        return keccak256(
            abi.encode(
                block.chainid,
                address(this),
                validUntil,
                validAfter,
                userOp.sender,
                userOp.nonce,
                delegated == 0 ? keccak256(userOp.initCode) : delegated,
                keccak256(userOp.callData),
                userOp.accountGasLimits,
                userOp.preVerificationGas,
                userOp.gasFees,
                bytes32(userOp.paymasterAndData[PAYMASTER_VALIDATION_GAS_OFFSET:PAYMASTER_DATA_OFFSET])
            )
        );
    }

    /// A wrong signature is an answer, not a revert, so that gas can be estimated with a stub.
    function _validatePaymasterUserOp(PackedUserOperation calldata userOp, bytes32, uint256)
        internal
        view
        override
        returns (bytes memory context, uint256 validationData)
    {
        bytes calldata data = userOp.paymasterAndData[PAYMASTER_DATA_OFFSET:];
        require(data.length == 77, "paymasterData is not 77 bytes");
        uint48 validUntil = uint48(bytes6(data[:6]));
        uint48 validAfter = uint48(bytes6(data[6:12]));
        bytes32 digest = MessageHashUtils.toEthSignedMessageHash(getHash(userOp, validUntil, validAfter));
        (address found, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, data[12:]);
        bool refused = problem != ECDSA.RecoverError.NoError || found != signer;
        return ("", _packValidationData(refused, validUntil, validAfter));
    }
}
