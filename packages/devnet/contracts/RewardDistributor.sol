// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// Pays out rewards against the root of a Merkle tree, and answers whoever reads or claims from Merkl's distributor: the same
/// functions, events and leaves. A root holds as soon as it is published; nobody can dispute it. What each account has earned by
/// which campaign stands in events, so that whoever gives proofs needs nothing but the chain.
contract RewardDistributor {
    using SafeERC20 for IERC20;

    struct Claim {
        uint208 amount;
        uint48 timestamp;
        bytes32 merkleRoot;
    }

    struct Earning {
        address user;
        address token;
        /// Beside what was earned before.
        uint256 amount;
        /// Earned, and in no tree yet; in place of what was pending before.
        uint256 pending;
        uint256 campaignId;
        string reason;
    }

    address public immutable publisher;
    bytes32 public getMerkleRoot;
    /// What an account has been paid of a token in all.
    mapping(address user => mapping(address token => Claim)) public claimed;
    /// Who may claim for an account; the zero address stands for everybody.
    mapping(address user => mapping(address operator => uint256)) public operators;

    event Claimed(address indexed user, address indexed token, uint256 amount);
    event Earned(
        address indexed user,
        address indexed token,
        uint256 amount,
        uint256 pending,
        uint256 campaignId,
        string reason
    );
    event OperatorToggled(address indexed user, address indexed operator, bool isWhitelisted);
    event TreeUpdated(bytes32 merkleRoot, bytes32 ipfsHash, uint48 endOfDisputePeriod);

    error InvalidLengths();
    error InvalidProof();
    error NotTrusted();
    error NotWhitelisted();

    constructor(address publisher_) {
        publisher = publisher_;
    }

    /// Puts a root in force: that of the tree over all that was ever earned, `earnings` included.
    function publish(bytes32 root, Earning[] calldata earnings) external {
        if (msg.sender != publisher) revert NotTrusted();
        for (uint256 i; i < earnings.length; i++) {
            Earning calldata earned = earnings[i];
            emit Earned(
                earned.user, earned.token, earned.amount, earned.pending, earned.campaignId, earned.reason
            );
        }
        getMerkleRoot = root;
        emit TreeUpdated(root, 0, uint48(block.timestamp));
    }

    /// Pays to each user what a leaf (user, token, amount) says beyond what was paid before. Amounts count from the beginning.
    function claim(
        address[] calldata users,
        address[] calldata tokens,
        uint256[] calldata amounts,
        bytes32[][] calldata proofs
    ) external {
        uint256 count = users.length;
        if (count == 0 || tokens.length != count || amounts.length != count || proofs.length != count) {
            revert InvalidLengths();
        }
        for (uint256 i; i < count; i++) {
            if (!_mayClaimFor(users[i])) revert NotWhitelisted();
            _pay(users[i], tokens[i], amounts[i], proofs[i]);
        }
    }

    function toggleOperator(address user, address operator) external {
        if (msg.sender != user) revert NotTrusted();
        uint256 before = operators[user][operator];
        operators[user][operator] = 1 - before;
        emit OperatorToggled(user, operator, before == 0);
    }

    function _mayClaimFor(address user) private view returns (bool) {
        return msg.sender == user || tx.origin == user || operators[user][msg.sender] == 1
            || operators[user][address(0)] == 1;
    }

    function _pay(address user, address token, uint256 amount, bytes32[] calldata proof) private {
        bytes32 leaf = keccak256(abi.encode(user, token, amount));
        if (!MerkleProof.verifyCalldata(proof, getMerkleRoot, leaf)) revert InvalidProof();
        uint256 toPay = amount - claimed[user][token].amount;
        claimed[user][token] = Claim(SafeCast.toUint208(amount), uint48(block.timestamp), getMerkleRoot);
        IERC20(token).safeTransfer(user, toPay);
        emit Claimed(user, token, toPay);
    }
}
