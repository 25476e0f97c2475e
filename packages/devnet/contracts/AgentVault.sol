// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// An ERC-4626 vault whose manager spreads what was put in over strategies, which are ERC-4626 vaults of the same asset. A million
/// virtual shares to each unit of the asset make it dear to inflate the price of a share before somebody deposits.
contract AgentVault is ERC4626 {
    using SafeERC20 for IERC20;

    struct Strategy {
        IERC4626 vault;
        /// Of all that the vault holds.
        uint256 targetBps;
    }

    struct StrategyState {
        address vault;
        uint256 targetBps;
        uint256 assets;
    }

    address public immutable manager;
    /// What the vault takes at most in all.
    uint256 public cap;
    /// While it is, nobody deposits; whoever wants out may go.
    bool public paused;
    Strategy[] private _strategies;

    event Rebalanced(uint256 idle);

    error NotManager();
    error InvalidStrategies();
    error WorthTooLittle(uint256 assets, uint256 least);

    modifier onlyManager() {
        if (msg.sender != manager) revert NotManager();
        _;
    }

    constructor(IERC20 asset_, string memory name_, string memory symbol_, address manager_, uint256 cap_)
        ERC4626(asset_)
        ERC20(name_, symbol_)
    {
        manager = manager_;
        cap = cap_;
    }

    function setCap(uint256 cap_) external onlyManager {
        cap = cap_;
    }

    function setPaused(bool paused_) external onlyManager {
        paused = paused_;
    }

    /// In place of those before, which are emptied first.
    function setStrategies(Strategy[] calldata wanted) external onlyManager {
        uint256 sum;
        for (uint256 i; i < wanted.length; i++) {
            if (wanted[i].vault.asset() != asset()) revert InvalidStrategies();
            sum += wanted[i].targetBps;
        }
        if (sum > 10_000 || wanted.length > 8) revert InvalidStrategies();
        for (uint256 i; i < _strategies.length; i++) {
            IERC4626 left = _strategies[i].vault;
            left.redeem(left.balanceOf(address(this)), address(this), address(this));
        }
        delete _strategies;
        for (uint256 i; i < wanted.length; i++) _strategies.push(wanted[i]);
    }

    /// Brings each strategy to its part: first out of those that hold more, then into those that hold less. Afterwards so many shares have to
    /// be worth at least so much, or nothing happens. Not all that the vault holds: whoever deposits just before would make up for a loss in it.
    function rebalance(uint256 shares, uint256 leastAssets) external onlyManager {
        uint256 total = totalAssets();
        for (uint256 i; i < _strategies.length; i++) {
            (uint256 held, uint256 wanted) = (_assetsIn(_strategies[i].vault), total * _strategies[i].targetBps / 10_000);
            if (held > wanted) _strategies[i].vault.withdraw(held - wanted, address(this), address(this));
        }
        for (uint256 i; i < _strategies.length; i++) {
            IERC4626 vault = _strategies[i].vault;
            (uint256 held, uint256 wanted) = (_assetsIn(vault), total * _strategies[i].targetBps / 10_000);
            if (held >= wanted) continue;
            uint256 missing = Math.min(wanted - held, _idle());
            IERC20(asset()).forceApprove(address(vault), missing);
            vault.deposit(missing, address(this));
        }
        uint256 worth = convertToAssets(shares);
        if (worth < leastAssets) revert WorthTooLittle(worth, leastAssets);
        emit Rebalanced(_idle());
    }

    function strategies() external view returns (StrategyState[] memory states) {
        states = new StrategyState[](_strategies.length);
        for (uint256 i; i < states.length; i++) {
            IERC4626 vault = _strategies[i].vault;
            states[i] = StrategyState(address(vault), _strategies[i].targetBps, _assetsIn(vault));
        }
    }

    function totalAssets() public view override returns (uint256 total) {
        total = _idle();
        for (uint256 i; i < _strategies.length; i++) total += _assetsIn(_strategies[i].vault);
    }

    function maxDeposit(address) public view override returns (uint256) {
        if (paused) return 0;
        if (cap == type(uint256).max) return cap;
        return Math.saturatingSub(cap, totalAssets());
    }

    function maxMint(address receiver) public view override returns (uint256) {
        uint256 most = maxDeposit(receiver);
        return most == type(uint256).max ? most : _convertToShares(most, Math.Rounding.Floor);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        for (uint256 i; i < _strategies.length && _idle() < assets; i++) {
            IERC4626 vault = _strategies[i].vault;
            uint256 taken = Math.min(assets - _idle(), vault.maxWithdraw(address(this)));
            vault.withdraw(taken, address(this), address(this));
        }
        super._withdraw(caller, receiver, owner, assets, shares);
    }

    function _idle() private view returns (uint256) {
        return IERC20(asset()).balanceOf(address(this));
    }

    function _assetsIn(IERC4626 vault) private view returns (uint256) {
        return vault.convertToAssets(vault.balanceOf(address(this)));
    }

    function _decimalsOffset() internal pure override returns (uint8) {
        return 6;
    }
}
