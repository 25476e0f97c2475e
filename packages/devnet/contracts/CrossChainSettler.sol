// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Settles cross-chain orders of ERC-7683 at both ends: what is opened here lies here until the other chain is known to have paid,
/// and what was opened elsewhere is filled here. Order data, the hash of an order, `fill` and `fillStatuses` have the form of Across.
/// It stands at one address on every chain. In place of a bridge a messenger says what happened at the other end.
contract CrossChainSettler {
    using SafeERC20 for IERC20;

    struct OnchainCrossChainOrder {
        uint32 fillDeadline;
        bytes32 orderDataType;
        bytes orderData;
    }

    struct Output {
        bytes32 token;
        uint256 amount;
        bytes32 recipient;
        uint256 chainId;
    }

    struct FillInstruction {
        uint256 destinationChainId;
        bytes32 destinationSettler;
        bytes originData;
    }

    struct ResolvedCrossChainOrder {
        address user;
        uint256 originChainId;
        uint32 openDeadline;
        uint32 fillDeadline;
        bytes32 orderId;
        Output[] maxSpent;
        Output[] minReceived;
        FillInstruction[] fillInstructions;
    }

    struct OrderData {
        address inputToken;
        uint256 inputAmount;
        address outputToken;
        uint256 outputAmount;
        uint256 destinationChainId;
        bytes32 recipient;
        address exclusiveRelayer;
        uint256 depositNonce;
        uint32 exclusivityPeriod;
        bytes message;
    }

    struct RelayData {
        bytes32 depositor;
        bytes32 recipient;
        bytes32 exclusiveRelayer;
        bytes32 inputToken;
        bytes32 outputToken;
        uint256 inputAmount;
        uint256 outputAmount;
        uint256 originChainId;
        uint256 depositId;
        uint32 fillDeadline;
        uint32 exclusivityDeadline;
        bytes message;
    }

    struct Deposit {
        address depositor;
        address token;
        uint256 amount;
        uint32 fillDeadline;
    }

    bytes32 public constant ORDER_DATA_TYPE = keccak256(
        "AcrossOrderData(address inputToken,uint256 inputAmount,address outputToken,uint256 outputAmount,uint256 destinationChainId,bytes32 recipient,address exclusiveRelayer,uint256 depositNonce,uint32 exclusivityPeriod,bytes message)"
    );
    uint256 internal constant FILLED = 2;

    address public messenger;
    /// By the hash of the order: 0 unless it is filled, then 2.
    mapping(bytes32 orderId => uint256) public fillStatuses;
    /// What lies here for an order; nothing once it was released or given back.
    mapping(bytes32 orderId => Deposit) public deposits;
    mapping(bytes32 orderId => bool) public isKnown;

    event Open(bytes32 indexed orderId, ResolvedCrossChainOrder resolvedOrder);
    event Filled(bytes32 indexed orderId, address indexed filler, bytes32 indexed recipient, bytes32 token, uint256 amount);
    event Released(bytes32 indexed orderId, address indexed filler, address token, uint256 amount);
    event Refunded(bytes32 indexed orderId, address indexed depositor, address token, uint256 amount);

    error OrderNotSupported();
    error OrderExists();
    error Expired();
    error NotExpired();
    error WrongOrderId();
    error AlreadyFilled();
    error NotOpen();
    error NotMessenger();

    modifier byMessenger() {
        require(msg.sender == messenger, NotMessenger());
        _;
    }

    constructor(address messenger_) {
        messenger = messenger_;
    }

    function open(OnchainCrossChainOrder calldata order) external virtual {
        (ResolvedCrossChainOrder memory resolved, OrderData memory data) = _resolve(order, msg.sender);
        require(block.timestamp <= order.fillDeadline, Expired());
        require(!isKnown[resolved.orderId], OrderExists());
        isKnown[resolved.orderId] = true;
        deposits[resolved.orderId] = Deposit(msg.sender, data.inputToken, data.inputAmount, order.fillDeadline);
        IERC20(data.inputToken).safeTransferFrom(msg.sender, address(this), data.inputAmount);
        emit Open(resolved.orderId, resolved);
    }

    function resolve(OnchainCrossChainOrder calldata order)
        external
        view
        virtual
        returns (ResolvedCrossChainOrder memory resolved)
    {
        (resolved,) = _resolve(order, msg.sender);
    }

    /// Whoever fills pays the recipient out of his own pocket, and is paid at the other end.
    function fill(bytes32 orderId, bytes calldata originData, bytes calldata) external virtual {
        RelayData memory relay = _requireFillable(orderId, originData);
        fillStatuses[orderId] = FILLED;
        address recipient = address(uint160(uint256(relay.recipient)));
        IERC20(address(uint160(uint256(relay.outputToken)))).safeTransferFrom(msg.sender, recipient, relay.outputAmount);
        emit Filled(orderId, msg.sender, relay.recipient, relay.outputToken, relay.outputAmount);
    }

    /// The other end has paid: what was deposited is the filler's.
    function release(bytes32 orderId, address filler) external byMessenger {
        Deposit memory deposit = _take(orderId);
        IERC20(deposit.token).safeTransfer(filler, deposit.amount);
        emit Released(orderId, filler, deposit.token, deposit.amount);
    }

    /// The other end has not paid, and no longer can: what was deposited goes back.
    function refund(bytes32 orderId) external byMessenger {
        Deposit memory deposit = _take(orderId);
        require(block.timestamp > deposit.fillDeadline, NotExpired());
        IERC20(deposit.token).safeTransfer(deposit.depositor, deposit.amount);
        emit Refunded(orderId, deposit.depositor, deposit.token, deposit.amount);
    }

    function _take(bytes32 orderId) internal returns (Deposit memory deposit) {
        deposit = deposits[orderId];
        require(deposit.depositor != address(0), NotOpen());
        delete deposits[orderId];
    }

    function _requireFillable(bytes32 orderId, bytes calldata originData) internal view returns (RelayData memory relay) {
        relay = abi.decode(originData, (RelayData));
        require(keccak256(abi.encode(relay, block.chainid)) == orderId, WrongOrderId());
        require(block.timestamp <= relay.fillDeadline, Expired());
        require(fillStatuses[orderId] == 0, AlreadyFilled());
    }

    function _resolve(OnchainCrossChainOrder calldata order, address user)
        internal
        view
        returns (ResolvedCrossChainOrder memory resolved, OrderData memory data)
    {
        require(order.orderDataType == ORDER_DATA_TYPE, OrderNotSupported());
        data = abi.decode(order.orderData, (OrderData));
        // Without a nonce of the depositor's own the order would be known only once it is mined.
        require(data.depositNonce != 0 && data.exclusiveRelayer == address(0), OrderNotSupported());
        require(data.destinationChainId != block.chainid && data.message.length == 0, OrderNotSupported());
        RelayData memory relay = RelayData({
            depositor: bytes32(uint256(uint160(user))),
            recipient: data.recipient,
            exclusiveRelayer: bytes32(0),
            inputToken: bytes32(uint256(uint160(data.inputToken))),
            outputToken: bytes32(uint256(uint160(data.outputToken))),
            inputAmount: data.inputAmount,
            outputAmount: data.outputAmount,
            originChainId: block.chainid,
            depositId: uint256(
                keccak256(abi.encodePacked(address(this), bytes32(uint256(uint160(user))), data.depositNonce))
            ),
            fillDeadline: order.fillDeadline,
            exclusivityDeadline: 0,
            message: ""
        });
        resolved.user = user;
        resolved.originChainId = block.chainid;
        resolved.openDeadline = type(uint32).max;
        resolved.fillDeadline = order.fillDeadline;
        resolved.orderId = keccak256(abi.encode(relay, data.destinationChainId));
        resolved.maxSpent = new Output[](1);
        resolved.maxSpent[0] = Output(relay.outputToken, data.outputAmount, data.recipient, data.destinationChainId);
        resolved.minReceived = new Output[](1);
        resolved.minReceived[0] = Output(relay.inputToken, data.inputAmount, bytes32(0), block.chainid);
        resolved.fillInstructions = new FillInstruction[](1);
        resolved.fillInstructions[0] =
            FillInstruction(data.destinationChainId, bytes32(uint256(uint160(address(this)))), abi.encode(relay));
    }
}
